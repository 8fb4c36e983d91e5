// The members of the type `Instrumentation` of the module `next` (X16).

import type { InstrumentationModule } from '@portico/shared/wire/bundles.ts'

export type onRequestError = NonNullable<InstrumentationModule['onRequestError']>
