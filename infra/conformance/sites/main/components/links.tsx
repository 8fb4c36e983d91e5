import Link from 'next/link'
import type { ComponentProps } from 'react'

export type Target = Pick<ComponentProps<typeof Link>, 'href' | 'as'>

/** A link for each entry; its id is the key. */
export function Links({ to }: { to: Record<string, Target> }) {
  return (
    <nav>
      {Object.entries(to).map(([id, target]) => (
        <Link key={id} id={id} {...target}>
          {id}
        </Link>
      ))}
    </nav>
  )
}
