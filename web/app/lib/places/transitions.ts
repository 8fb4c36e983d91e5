// Names of elements that move from one page to the next (React's ViewTransition). Browsers without view transitions,
// and users who prefer less motion, see the next page immediately.

/** Props of a `<ViewTransition>` around a place's image: on a page each place may have one only. */
export function plateTransition(slug: string) {
  // Only shared between two pages: nothing moves when an image appears or disappears alone.
  return { name: `plate-${slug}`, share: 'plate', default: 'none' } as const
}
