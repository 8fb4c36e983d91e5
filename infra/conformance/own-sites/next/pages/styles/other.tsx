import Link from 'next/link'

export default function Other() {
  return (
    <main>
      <h1>Other</h1>
      <p id="scoped">other</p>
      <Link href="/styles">styles</Link>
      <style jsx>{`
        p {
          color: rgb(0, 0, 3);
        }
      `}</style>
    </main>
  )
}
