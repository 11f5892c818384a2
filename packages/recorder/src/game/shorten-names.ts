// Names in the trace of a local build are relative to the build: its address is different each time and contains a secret.

/** The name of the page of a build. */
const PAGE = 'index.html';

/**
 * Returns a function that makes names relative to `base`, a URL that ends in a slash. Names without it stay. With null, all stay.
 */
export function shortenNames(base: string | null): (name: string) => string {
  if (base === null) return (name) => name;
  const { pathname, host } = new URL(base);
  const path = pathname.slice(1);
  // The collector writes the path for a file of the page's origin, and the whole address elsewhere.
  const last = path.split('/').at(-2) ?? '';
  // The functions of the page itself have the last part of its address.
  const forms = [base, `${host}/${path}`, path, last].filter((form) => form !== '');
  return (name) => {
    const form = forms.find((one) => name.includes(one));
    if (form === undefined) return name;
    if (form === last) return name.replaceAll(form, PAGE);
    const short = name.replaceAll(form, '');
    return short === '' || /[\s:]$/.test(short) || /^[?#:]/.test(short)
      ? name.replaceAll(form, PAGE)
      : short;
  };
}
