// The document for requests when no page can be rendered: after a fault in the folder, in `_app` and what it renders, in
// the framework's entry. The document connects, shows the error, and reloads when the error is fixed.

import { DEV_CLIENT, devModuleUrl } from '@portico/build/dev/dev.ts'
import { escapeHtml } from '@portico/shared/kit/http/error-response.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { errorTitle } from '@portico/shared/wire/errors/error-titles.ts'

/** `version` is that of the sources; `requestId` that of the request whose error the document shows. */
export function documentOf(message: string, manifest: Manifest, version: number, requestId?: string): string {
  const { basePath, buildId } = manifest
  const failed = { basePath, buildId, route: '/_error', status: 500, sourceVersion: version, requestId }
  const data = JSON.stringify(failed).replaceAll('<', '\\u003c')
  const title = `500: ${errorTitle(500)}`
  return `<!DOCTYPE html>
<html lang="en" data-portico-dev="failed">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><div id="portico"><h1>${title}</h1><pre>${escapeHtml(message)}</pre></div>
<script type="application/json" id="${PAGE_DATA_ELEMENT_ID}">${data}</script>
<script type="module" src="${devModuleUrl(basePath, DEV_CLIENT)}"></script></body>
</html>
`
}
