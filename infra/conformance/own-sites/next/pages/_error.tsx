import NextError from 'next/error'

export default function SiteError({ statusCode = 500 }: { statusCode?: number }) {
  return <NextError statusCode={statusCode} title="Nothing here" />
}
