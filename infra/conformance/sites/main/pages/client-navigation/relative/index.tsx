import Link from 'next/link'

export default function Relative() {
  return (
    <Link id="to-first" href="./relative-first">
      first
    </Link>
  )
}
