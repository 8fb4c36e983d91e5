// Names of what travels from one page to the next (React's ViewTransition). Browsers without view transitions, and
// visitors who asked for less motion, see the next page at once.

/** Props of a `<ViewTransition>` around a place's picture: on a page each place may have one only. */
export function plateTransition(slug: string) {
  // Only shared between two pages: nothing moves when a picture comes or goes by itself.
  return { name: `plate-${slug}`, share: 'plate', default: 'none' } as const
}
