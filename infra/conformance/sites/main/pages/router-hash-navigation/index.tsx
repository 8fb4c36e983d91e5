import Link from 'next/link'

export default function Long() {
  return (
    <div id="state">
      <div style={{ height: '2000px' }} />
      <Link id="top" href="/router-hash-navigation">
        To the top
      </Link>
      <section id="part" style={{ height: '2000px' }}>
        A part
      </section>
    </div>
  )
}
