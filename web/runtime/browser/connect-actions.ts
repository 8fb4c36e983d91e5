// Gives calls of actions their way to the server. The code that posts is loaded at first use (A1).

import type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
import { actionHost } from '../react/action-reference.ts'
import type { LateRouter } from './late-router.ts'
import { holdForm, OFFLINE_TEXT, showNotice } from './submit-action-forms.ts'

export function connectActions({ buildId, router }: { buildId: string; router: LateRouter }): void {
  const loadSubmitAction = () => import('./submit-action.ts')
  // Whoever fills a form in will send it, maybe when the network is gone.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('form')) void loadSubmitAction().catch(() => {})
  })
  actionHost.call = async (id, args, isHeard) => {
    const form = holdForm()
    showNotice(undefined)
    // The page that asks; another one may be shown when the answer comes.
    const url = location.pathname + location.search
    const refuse = (message: string) => {
      form?.keep()
      if (!isHeard) showNotice(message)
    }
    const module = await loadSubmitAction().catch((error: unknown) => {
      if (!form) throw error
    })
    if (!module) {
      form?.release()
      refuse(OFFLINE_TEXT)
      return { issues: [{ path: '', message: OFFLINE_TEXT }], fields: {} } satisfies InvalidInput
    }
    const call = module.submitAction(id, args, {
      buildId,
      applyData: (page) => router.applyData(page, url),
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
