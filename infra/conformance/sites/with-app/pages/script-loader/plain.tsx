import Link from 'next/link'

export default function Plain() {
  return (
    <main>
      <h1>Plain</h1>
      <Link href="/script-loader/loads">loads</Link>
      <Link href="/script-loader/ready">ready</Link>
    </main>
  )
}
