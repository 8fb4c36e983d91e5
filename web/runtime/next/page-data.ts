// The data element of a site of Next.js in the browser (X2). The build puts this in the place where other sites read theirs.

import { NEXT_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { hydrationOf, type NextData } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData, PublicValues } from '@portico/shared/wire/page-data.ts'

let data: NextData | undefined

/** Reads the element once, and shows it to other scripts. */
function nextData(): NextData {
  if (!data) {
    data = JSON.parse(document.getElementById(NEXT_DATA_ELEMENT_ID)!.textContent!) as NextData
    Object.assign(window, { __NEXT_DATA__: data })
  }
  return data
}

export function readNextData(): HydrationData {
  return hydrationOf(nextData())
}

/**
 * The value of `process.env.NEXT_PUBLIC_…` in the browser (X6). The build puts a call in the place of each read: modules of
 * the site read values while they load, before the page starts.
 */
export function codeVariable(name: string): PublicValues[string] | undefined {
  return nextData().portico.publicEnv[name]
}
