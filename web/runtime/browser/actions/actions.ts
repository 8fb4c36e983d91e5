// Calls of actions (A1): the code that posts them is loaded at first use.
// Guarantees: a second click has no effect while a call runs, a refused form keeps its fields, and a submission from before
// hydration follows the rule of later ones.
// Leaves the reference that a component calls to react/action-reference.ts, and the page after a response to the router.

import type { InvalidInput } from '@portico/shared/wire/bundles.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import { manifestUrl } from '@portico/shared/wire/routing/urls.ts'
import { actionHost } from '../../react/action-reference.ts'
import { rethrowReported } from '../hosts.ts'
import { pageOf } from '../tab.ts'
import { holdForm, OFFLINE_TEXT, OUTDATED_TEXT, showNotice, UNREACHABLE_TEXT } from './form-submissions.ts'

export { watchForms } from './form-submissions.ts'

/** The router, as calls of actions use it. */
interface ActionsRouter {
  applyData(data: PageData, url: string): Promise<void>
  refresh(): Promise<void>
  push(url: string): Promise<boolean>
  load(): Promise<{ dropPrefetched(): void }>
}

interface ActionsDeps {
  basePath: string
  buildId: string
  router: ActionsRouter
}

export function connectActions({ basePath, buildId, router }: ActionsDeps): void {
  const loadSubmitAction = () => {
    const code = import('./submit-action.ts')
    return process.env.PORTICO_ERRORS ? code.catch(rethrowReported) : code
  }
  // A form that the user fills in will be sent, maybe without a network: the code must be loaded by then.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('form')) void loadSubmitAction().catch(() => {})
  })
  actionHost.call = async ({ id, args, showsResult, mayRepeat }) => {
    const form = holdForm(mayRepeat)
    showNotice(undefined)
    // The page that calls; another page may be shown when the response arrives.
    const url = pageOf(location)
    const refuse = (message: string) => {
      form?.keep()
      if (!showsResult) showNotice(message)
    }
    const module = await loadSubmitAction().catch((error: unknown) => {
      if (!form) throw error
    })
    if (!module) {
      const message = await explain(manifestUrl(basePath, buildId))
      form?.release()
      refuse(message)
      return { issues: [{ path: '', message }], fields: {} } satisfies InvalidInput
    }
    const call = module.submitAction(id, args, {
      buildId,
      url,
      mayRepeat,
      applyData: (page) => router.applyData(page, url),
      // Without new data the page remains as it was: the action has run.
      refresh: () => router.refresh().catch(() => {}),
      follow: (location) => void router.push(location),
      // Without the router there are no prefetched data.
      onResponse: () =>
        void router.load().then(
          ({ dropPrefetched }) => dropPrefetched(),
          () => {},
        ),
      onRefused: refuse,
    })
    return call.finally(() => form?.release())
  }
}

/** Why the code that posts cannot be loaded. A site that responds has another build than this page. */
async function explain(someFile: string): Promise<string> {
  if (!navigator.onLine) return OFFLINE_TEXT
  const response = await fetch(someFile, { cache: 'no-store' }).catch(() => undefined)
  return response && response.status < 500 ? OUTDATED_TEXT : UNREACHABLE_TEXT
}
