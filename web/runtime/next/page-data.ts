// The data element of a site of Next.js in the browser (X2). The build puts this in the place where other sites read theirs.

import { NEXT_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { hydrationOf, type NextData } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'

/** Reads the element, and shows it to other scripts. */
export function readNextData(): HydrationData {
  const data = JSON.parse(document.getElementById(NEXT_DATA_ELEMENT_ID)!.textContent!) as NextData
  Object.assign(window, { __NEXT_DATA__: data })
  return hydrationOf(data)
}
