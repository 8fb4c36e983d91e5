import type { NextApiRequest, NextApiResponse } from 'next'

export default function stamps({ method, query }: NextApiRequest, response: NextApiResponse) {
  response.status(200).json(method === 'POST' ? { printed: query.motif } : { motifs: ['heron', 'fox'] })
}
