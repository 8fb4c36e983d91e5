// The types of `next/navigation`'s router.

/** The router of `next/navigation`. */
export interface AppRouterInstance {
  back(): void
  forward(): void
  /** Loads the page again. */
  refresh(): void
  push(href: string, options?: { scroll?: boolean }): void
  replace(href: string, options?: { scroll?: boolean }): void
  prefetch(href: string): void
}
