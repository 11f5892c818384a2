# Installs svc @VERSION@ for one user of Windows, without administrator rights.
#
#   powershell -ExecutionPolicy Bypass -File install.ps1 [-Prefix DIR] [-From DIR]
#       installs into DIR (default: %LOCALAPPDATA%\Programs\svc)
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Uninstall [-Prefix DIR]
#       removes what it installed
#
# It downloads one archive, or takes it from the folder of -From, and compares its SHA-256 with the one below. Then it copies the
# executable and its licences into DIR. It changes nothing else.
param(
  [string] $Prefix = (Join-Path $env:LOCALAPPDATA 'Programs\svc'),
  [string] $From = '',
  [switch] $Uninstall
)

Set-StrictMode -Version 3.0
$ErrorActionPreference = 'Stop'

$Version = '@VERSION@'
$Address = '@ADDRESS@'
$Archive = "svc-$Version-windows-x64.zip"
$Expected = '@SUM:windows-x64@'
$Files = @('svc.exe', 'LICENSE', 'THIRD-PARTY-NOTICES.txt')

function Stop-Install([string] $Message) {
  Write-Error "install.ps1: $Message" -ErrorAction Continue
  exit 1
}

function Get-FullPath([string] $Path) {
  $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Path).TrimEnd('\')
}

# Names the files that this script has installed.
function Get-Installed {
  if (Test-Path -LiteralPath $List) { @(Get-Content -LiteralPath $List) } else { @() }
}

$Prefix = Get-FullPath $Prefix
$List = Join-Path $Prefix 'installed-files.txt'

if ($Uninstall) {
  if (-not (Test-Path -LiteralPath $List)) {
    Stop-Install "svc is not installed in $Prefix. Name its folder with -Prefix DIR."
  }
  foreach ($Name in Get-Installed) {
    # Only names, and no paths to other folders.
    if ($Name -notmatch '^[\w.-]+$') { Stop-Install "$List contains an unexpected name: $Name" }
    foreach ($Path in @((Join-Path $Prefix $Name), (Join-Path $Prefix "$Name.new"), (Join-Path $Prefix "$Name.old"))) {
      if (Test-Path -LiteralPath $Path) {
        Remove-Item -LiteralPath $Path -Force
        Write-Output "Removed $Path"
      }
    }
  }
  Remove-Item -LiteralPath $List -Force
  if (-not (Get-ChildItem -LiteralPath $Prefix -Force)) { Remove-Item -LiteralPath $Prefix }
  Write-Output 'svc is removed. It leaves your recordings and your login.'
  exit 0
}

if ($Expected -eq '') { Stop-Install 'This release has no executable for Windows. Use npm install --global @svc/cli.' }
if (-not [Environment]::Is64BitOperatingSystem) {
  Stop-Install 'There is no executable for 32-bit Windows. Use npm install --global @svc/cli.'
}
foreach ($Name in $Files) {
  $Path = Join-Path $Prefix $Name
  if ((Test-Path -LiteralPath $Path) -and ((Get-Installed) -notcontains $Name)) {
    Stop-Install "$Path exists already. Remove it, or choose another folder with -Prefix DIR."
  }
}

$Work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $Work | Out-Null
try {
  $Zip = Join-Path $Work $Archive
  if ($From -ne '') {
    Write-Output "Taking $Archive from $From"
    Copy-Item -LiteralPath (Join-Path (Get-FullPath $From) $Archive) -Destination $Zip
  } else {
    if ($Address -eq '') {
      Stop-Install 'This copy of install.ps1 has no address to download from. Name the folder of the release with -From DIR.'
    }
    Write-Output "Downloading $Address/$Archive"
    # Old versions of Windows PowerShell do not offer TLS 1.2 by themselves.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    # The progress bar makes them slow.
    $ProgressPreference = 'SilentlyContinue'
    Invoke-WebRequest -UseBasicParsing -Uri "$Address/$Archive" -OutFile $Zip
  }
  $Found = (Get-FileHash -LiteralPath $Zip -Algorithm SHA256).Hash.ToLowerInvariant()
  if ($Found -ne $Expected) {
    Stop-Install "$Archive is not the file of this release: its SHA-256 is $Found, not $Expected."
  }
  Write-Output 'The SHA-256 is correct.'
  $Unpacked = Join-Path $Work 'files'
  Expand-Archive -LiteralPath $Zip -DestinationPath $Unpacked

  # The executable is tried before an older one is replaced.
  $Printed = ''
  try { $Printed = & (Join-Path $Unpacked 'svc.exe') --version } catch { $Printed = '' }
  if ($Printed -ne $Version) {
    Stop-Install 'The executable does not run on this system. Use npm install --global @svc/cli.'
  }

  New-Item -ItemType Directory -Path $Prefix -Force | Out-Null
  # If this is interrupted, -Uninstall removes the files.
  Set-Content -LiteralPath $List -Value $Files
  foreach ($Name in $Files) {
    $Path = Join-Path $Prefix $Name
    Copy-Item -LiteralPath (Join-Path $Unpacked $Name) -Destination "$Path.new" -Force
    if (Test-Path -LiteralPath $Path) {
      # A running program can be renamed, but not replaced.
      if (Test-Path -LiteralPath "$Path.old") { Remove-Item -LiteralPath "$Path.old" -Force }
      Move-Item -LiteralPath $Path -Destination "$Path.old"
    }
    Move-Item -LiteralPath "$Path.new" -Destination $Path
    # The old program stays while it runs. The next installation removes it.
    Remove-Item -LiteralPath "$Path.old" -Force -ErrorAction SilentlyContinue
    Write-Output "Installed $Path"
  }
} finally {
  Remove-Item -LiteralPath $Work -Recurse -Force
}

Write-Output ''
if (($env:Path -split ';').TrimEnd('\') -contains $Prefix) {
  Write-Output "svc $Version is installed. Run svc help."
} else {
  Write-Output "svc $Version is installed. To run it by its name, add its folder to the variable Path of your account:"
  Write-Output ''
  Write-Output "  $Prefix"
  Write-Output ''
}
Write-Output 'To remove it, run install.ps1 -Uninstall with the same -Prefix.'
