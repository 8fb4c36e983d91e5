// The addresses of the files of a route in the browser.

/**
 * The address of a hashed file, next to this script: on the host that `assetPrefix` names, if there is one. Under development
 * a name is an address, which begins with a slash.
 */
export function fileAddress(name: string): string {
  return new URL(name, import.meta.url).href
}
