// Removes `?done=` and what belongs to it from the page's address, so that a reload does not show the message again.

const address = new URL(location.href);
if (address.searchParams.has('done')) {
  for (const name of ['done', 'link', 'version', 'replaced', 'publisher']) {
    address.searchParams.delete(name);
  }
  history.replaceState(history.state, '', address);
}
