// Page data as the browser received it, and how long it waits for the rest.

import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'

/** A connection that was silent for this time is broken: the server has sent every value by then, or an error in its place. */
export const LONGEST_SILENCE_MS = DATA_FUNCTION_TIMEOUT_MS + 2000

/** `close`: values still arrive; ends their transfer without an error in the page. */
export type ReceivedData = PageData & { close?: () => void }
