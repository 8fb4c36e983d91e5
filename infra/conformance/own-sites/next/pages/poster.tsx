import type { GetServerSideProps } from 'next'
import { ImageResponse } from 'next/og'

export const getServerSideProps: GetServerSideProps = async ({ res }) => {
  const image = new ImageResponse(<b style={{ display: 'flex' }}>Poster</b>, { width: 120, height: 60 })
  res.setHeader('content-type', 'image/png')
  res.end(Buffer.from(await image.arrayBuffer()))
  return { props: {} }
}

export default function Poster() {
  return null
}
