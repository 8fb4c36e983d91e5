// The stack as its operator sees it. A snapshot without JavaScript; with it, figures that follow. 404 when switched
// off.

import type { GetServerSideProps, PageProps } from 'portico'
import { fetch } from 'portico/server'
import { PageHead } from '../components/frame/page-head.tsx'
import { PageTitle } from '../components/frame/page-title.tsx'
import { StatusBoard } from '../components/status/status-board.tsx'
import { parseStatus } from '../lib/status/status.ts'

export const getServerSideProps = (async () => {
  const response = await fetch('/api/status')
  if (response.status === 404) return { notFound: true }
  const status = response.ok ? parseStatus(await response.text()) : undefined
  return { props: { status: status ?? null } }
}) satisfies GetServerSideProps

export default function Status({ status }: PageProps<typeof getServerSideProps>) {
  return (
    <div className="wrap">
      <PageHead title="Status" description="What the services behind the atlas are doing right now." isHidden />
      <PageTitle title="Status" lede="Four services stand behind these pages. This is what they are doing right now." />
      {status ? <StatusBoard first={status} /> : <p role="status">The figures cannot be read just now.</p>}
    </div>
  )
}
