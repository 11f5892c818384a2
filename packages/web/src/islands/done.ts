// Removes `?done=` with its link, version or publisher from the page's address, so that a reload does not show the message again.

const address = new URL(location.href);
if (address.searchParams.has('done')) {
  address.searchParams.delete('done');
  address.searchParams.delete('link');
  address.searchParams.delete('version');
  address.searchParams.delete('publisher');
  history.replaceState(history.state, '', address);
}
