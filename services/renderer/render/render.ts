// Renders one page to an outcome, by its kind: a page for one client (server-page.ts), a page that is the same for all
// clients (static-page.ts, and cached-page.ts for an entry of the page cache), a screen (screen.ts). Every call of the site's
// code has a time limit, and ends when the request ends. A render for all clients has no data of a client. Which page a
// request gets, and what is kept, is left to pages/; what becomes of an outcome to send/.

export { createDraftPages, outcomeOf, renderShell } from './cached-page.ts'
export { isForDraft } from './data-arguments.ts'
export { withinLimit, workOf } from './data-functions.ts'
export { entryAsLoaded } from './initial-props.ts'
export { locationOf, nextDataOf, redirectData } from './page-outcomes.ts'
export { failureCode, isForEachClient, renderFailure, renderNotFoundScreen, renderScreen } from './screen.ts'
export { type NotFound, renderServerPage } from './server-page.ts'
export {
  createStaticPaths,
  notFoundScreen,
  pathsOfFixed,
  renderInTime,
  renderStored,
  type StaticPage,
  type StaticRender,
  sharedRequest,
  shownRoute,
} from './static-page.ts'
