import Link from 'next/link'

const PATHS = ['/', '/index', '/index/index', '/index/index/index', '/index/reader', '/index/works']

export default function Links() {
  return (
    <>
      <h1>Links</h1>
      {PATHS.map((path) => (
        <Link key={path} href={path}>
          {path}
        </Link>
      ))}
    </>
  )
}
