// What a folder must be that is served as a site, in the words of the build and of the command that starts one.

/** The folders of an App Router, app-relative. */
export const APP_ROUTERS = ['app', 'src/app'] as const

/** `router`: the folder has this one, and no pages. */
export function pagesRule(router: string | undefined): string {
  const remedy = `; ${router}/ has routes of the App Router, which are not served: portico check lists the file in pages/ that takes the place of each`
  return `a folder that contains pages/${router === undefined ? '' : remedy}`
}
