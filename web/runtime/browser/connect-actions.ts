// Gives calls of actions their way to the server. The code that posts is loaded at first use (A1).

import type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
import { manifestUrl } from '../../../services/shared/wire/urls.ts'
import { actionHost } from '../react/action-reference.ts'
import { pageOf } from './address.ts'
import type { LateRouter } from './late-router.ts'
import { holdForm, OFFLINE_TEXT, OUTDATED_TEXT, showNotice, UNREACHABLE_TEXT } from './submit-action-forms.ts'

export interface ActionsDeps {
  basePath: string
  buildId: string
  router: LateRouter
}

export function connectActions({ basePath, buildId, router }: ActionsDeps): void {
  const loadSubmitAction = () => import('./submit-action.ts')
  // Whoever fills a form in will send it, maybe when the network is gone.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('form')) void loadSubmitAction().catch(() => {})
  })
  actionHost.call = async (id, args, isHeard) => {
    const form = holdForm()
    showNotice(undefined)
    // The page that asks; another one may be shown when the answer comes.
    const url = pageOf(location)
    const refuse = (message: string) => {
      form?.keep()
      if (!isHeard) showNotice(message)
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
      applyData: (page) => router.applyData(page, url),
      // Without fresh data the page stays as it was: the action has run all the same.
      refresh: () => router.refresh().catch(() => {}),
      follow: (location) => void router.push(location),
      showNotFound: () => void router.applyData({ kind: 'not-found' }, url),
      // Where the router cannot be had nothing was prefetched.
      onAnswer: () =>
        void router.load().then(
          ({ dropPrefetched }) => dropPrefetched(),
          () => {},
        ),
      onRefused: refuse,
    })
    return call.finally(() => form?.release())
  }
}

/** Why the code that posts cannot be had. A site that answers has no code of this page's build any more. */
async function explain(someFile: string): Promise<string> {
  if (!navigator.onLine) return OFFLINE_TEXT
  const answer = await fetch(someFile, { cache: 'no-store' }).catch(() => undefined)
  return answer && answer.status < 500 ? OUTDATED_TEXT : UNREACHABLE_TEXT
}
