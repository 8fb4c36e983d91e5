// The suite of policies that a document writes itself.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

function runsUnder(number: number, does: string, policy: string): Behaviour {
  return {
    id: `app-document-csp-${number}`,
    does,
    configuration: 'app',
    via: 'browser',
    async run(site) {
      await site.open(`/app-document?policy=${policy}`)
      expect(site.faults).toEqual([])
    },
  }
}

export const appDocumentCsp: Suite = {
  name: 'app-document-csp',
  source: upstream('test/integration/app-document/test/csp.js'),
  tests: 2,
  rows: { 1: notApplicable('the text of an inline script; Next.js 16 does not run under such a policy') },
  behaviours: [runsUnder(2, 'runs under a policy with the nonce of the document', 'nonce')],
}
