// Page data as the browser received it.

import type { PageData } from '@portico/shared/wire/page-data.ts'

/** `close`: values still arrive; ends their transfer without an error in the page. */
export type ReceivedData = PageData & { close?: () => void }
