import Link from 'next/link'

const PATHS = {
  home: '/',
  piers: '/piers',
  timetable: '/timetable',
  heron: '/boats/heron',
  noon: '/crossings/noon',
  tickets: '/tickets',
  first: '/tickets/first',
}

/** A link for each page. `prefix`: in front of each path, with `locale`. */
export function Links({ locale, prefix = '' }: { locale?: string | false; prefix?: string }) {
  return (
    <nav>
      {Object.entries(PATHS).map(([id, path]) => (
        <Link
          key={id}
          id={`to-${id}`}
          href={prefix === '' ? path : prefix + (path === '/' ? '' : path)}
          locale={locale}
        >
          {id}
        </Link>
      ))}
    </nav>
  )
}
