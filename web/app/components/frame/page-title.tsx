// The opening of a page without an image: a line above, the title, a lede.

import type { ReactNode } from 'react'
import css from './page-title.module.css'

export function PageTitle({ above, title, lede }: { above?: ReactNode; title: string; lede?: ReactNode }) {
  return (
    <header className={css.header}>
      {above}
      <h1>{title}</h1>
      {lede ? <p className={css.lede}>{lede}</p> : null}
    </header>
  )
}
