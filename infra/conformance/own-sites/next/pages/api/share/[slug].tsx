import type { NextApiRequest, NextApiResponse } from 'next'
import { ImageResponse } from 'next/og'

export default async function share({ query }: NextApiRequest, res: NextApiResponse) {
  const image = new ImageResponse(
    <div tw="flex w-full h-full p-20 items-end bg-slate-800 text-white text-7xl">Post {query.slug}</div>,
  )
  res.setHeader('Content-Type', 'image/png')
  res.setHeader('Cache-Control', 'public, max-age=3600, s-maxage=86400')
  res.send(Buffer.from(await image.arrayBuffer()))
}
