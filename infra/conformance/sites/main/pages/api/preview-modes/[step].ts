import type { NextApiRequest, NextApiResponse } from 'next'

const steps: Record<string, (request: NextApiRequest, response: NextApiResponse) => void> = {
  preview({ query: { size, seconds, path, ...data } }, response) {
    const options = { ...(seconds && { maxAge: Number(seconds) }), ...(path && { path: String(path) }) }
    try {
      response.setPreviewData(size ? 'x'.repeat(Number(size)) : data, options).end('proof')
    } catch {
      response.status(500).end('too much for a proof')
    }
  },
  bare: (_request, response) => response.setPreviewData({}).end('proof'),
  leave: ({ query: { path } }, response) =>
    response.clearPreviewData(path ? { path: String(path) } : {}).end('published'),
  draft: (_request, response) => response.setDraftMode({ enable: true }).end('draft'),
  undraft: (_request, response) => response.setDraftMode({ enable: false }).end('published'),
  read: ({ preview, previewData, draftMode }, response) => response.json({ preview, previewData, draftMode }),
}

export default function step(request: NextApiRequest, response: NextApiResponse) {
  const { step: name, ...query } = request.query
  const run = steps[String(name)]
  if (!run) return response.status(404).end()
  request.query = query
  run(request, response)
}
