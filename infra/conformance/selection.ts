// The behaviours that `npm test` runs: one of each area, on three configurations.

export const SELECTION = [
  // Routes, and routes with parameters.
  'route-indexes-7',
  'dynamic-routing-34',
  // Rewrites, redirects and headers.
  'custom-routes-35',
  // Data functions.
  'getserversideprops-25',
  'prerender-11',
  'getinitialprops-1',
  'prerender-preview-9',
  // API handlers.
  'api-support-22',
  // Elements of the document, and the page 404.
  'next-head-2',
  'client-navigation-rendering-27',
  // In the browser.
  'dynamic-routing-4',
  'client-navigation-32',
  'trailing-slashes-5',
  // Other configurations.
  'middleware-general-15',
  'i18n-support-71',
] as const
