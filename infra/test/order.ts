// The order of the files of a project: the longest first, so that none runs alone at the end while a core has nothing to
// do. Vitest knows how long a file takes from an earlier run; on a new machine it starts with the largest, and these are
// small.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = [
  'services/images/encoders/encoder-responses.',
  'services/renderer/error-page.',
  'services/images/encoders/encoder-pool.',
  'infra/checks/observability.',
  'infra/checks/kubernetes/overlays.',
  'infra/checks/docs/docs.test.',
  'web/build/build-faults.',
  'infra/e2e/faults/stack-life.',
  'web/build/build-app.',
  'web/build/next/next-app.',
  'services/renderer/main.',
  'infra/e2e/behaviours/containers/compose.',
  'infra/e2e/behaviours/client/journeys/sample-site.',
  'infra/e2e/behaviours/dev/dev.',
  'infra/e2e/behaviours/client/navigation/navigation.',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b))
  }
}

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = LONGEST.findIndex((start) => moduleId.includes(start))
  return rank === -1 ? LONGEST.length : rank
}
