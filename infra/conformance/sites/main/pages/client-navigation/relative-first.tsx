import Link from 'next/link'

export default function First() {
  return (
    <Link id="to-second" href="./relative-second">
      second
    </Link>
  )
}
