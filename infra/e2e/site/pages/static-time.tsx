// A page for everybody that goes out of date after a second.

import type { GetStaticProps, PageProps } from 'portico'

let renders = 0

export const getStaticProps = (async () => {
  renders += 1
  return { props: { time: Date.now(), renders }, revalidate: 1, tags: ['time'] }
}) satisfies GetStaticProps

export default function StaticTime({ time, renders: count }: PageProps<typeof getStaticProps>) {
  return (
    <>
      <title>Static time · Fixture</title>
      <h1>Static time</h1>
      <p id="time">{time}</p>
      <p id="renders">{count}</p>
    </>
  )
}
