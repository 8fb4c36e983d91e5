import { ImageResponse } from 'next/og'

export const config = { runtime: 'edge' }

function Card({ title }: { title: string }) {
  return (
    <div tw="flex w-full h-full items-center bg-white" style={{ fontSize: 80, color: 'rgb(0, 0, 255)' }}>
      {title}
    </div>
  )
}

export default function handler(request: Request) {
  const { searchParams } = new URL(request.url)
  const width = searchParams.get('width')
  return new ImageResponse(<Card title={searchParams.get('title') ?? 'Card'} />, {
    ...(width && { width: Number(width) }),
    ...(searchParams.has('fails') && { fonts: [] }),
    headers: { 'x-drawn': 'yes' },
  })
}
