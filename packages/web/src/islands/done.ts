// Takes what was just done out of the page's address, so that a reload does not report it again.

const address = new URL(location.href);
if (address.searchParams.has('done')) {
  address.searchParams.delete('done');
  history.replaceState(history.state, '', address);
}
