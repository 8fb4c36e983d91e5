// Home of the second site: a page without data, with links to all others.

import { Image, Link } from 'portico'
import { listItems } from '../lib/items.ts'

const OTHERS = ['/things/1', '/files/a/b%20c', '/streamed', '/static-time', '/headers', '/counter', '/env', '/apiary']

export default function Home() {
  return (
    <div className="tall">
      <title>Fixture</title>
      <h1>Fixture</h1>
      <Image
        src="/pictures/sample.jpg"
        width={1600}
        height={1000}
        alt="Hills"
        sizes="(min-width: 44rem) 44rem, 100vw"
        priority
      />
      <ul>
        {listItems().map(({ id, title }) => (
          <li key={id}>
            <Link href={`/items/${id}`}>{title}</Link>
          </li>
        ))}
        {OTHERS.map((href) => (
          <li key={href}>
            <Link href={href}>{href}</Link>
          </li>
        ))}
        <li>
          <Link href="/broken/render" prefetch={false}>
            Broken in render
          </Link>
        </li>
        <li>
          <Link href="/broken/data" prefetch={false}>
            Broken in data
          </Link>
        </li>
        <li>
          <Link href="/broken/redirect" prefetch={false}>
            Redirected
          </Link>
        </li>
      </ul>
    </div>
  )
}
