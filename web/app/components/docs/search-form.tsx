// A search field. Without JavaScript a GET form; with it results follow the typing on the page that shows them, each in
// the address.

import { type Href, useNavigation, usePathname, useRouter, useSearchParams } from 'portico'
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef } from 'react'
import { QUERY_LIMIT } from '../../lib/docs/search.ts'
import css from './search-form.module.css'

/** Results are requested when typing pauses for this long. */
const DEBOUNCE_MS = 250

interface SearchFormProps {
  /** The page that shows results. */
  at: '/search' | '/docs/search'
  label: string
  placeholder: string
  /** The query of the shown results. */
  searched?: string
  /** A side column has little room. */
  size?: 'large' | 'small'
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void
}

export function SearchForm({ at, label, placeholder, searched = '', size = 'large', onKeyDown }: SearchFormProps) {
  const router = useRouter()
  const showsResults = usePathname() === at
  const inAddress = useSearchParams().get('q') ?? ''
  const input = useRef<HTMLInputElement>(null)
  const { location: comingTo } = useNavigation()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The last query of the field or of the address. */
  const last = useRef(searched)

  const stopWaiting = () => {
    clearTimeout(timer.current)
    timer.current = undefined
  }

  // Text that was typed before hydration counts.
  useEffect(() => {
    if (input.current && input.current.value !== searched) follow(input.current)
    return stopWaiting
  }, [])

  // Back, forward and links change the address without the field; text that the user types is not replaced.
  useEffect(() => {
    // A user who navigates to another page has finished typing.
    if (comingTo !== undefined && new URL(comingTo, location.href).pathname !== location.pathname) stopWaiting()
    if (comingTo !== undefined || timer.current || inAddress === last.current) return
    last.current = inAddress
    if (input.current) input.current.value = inAddress
  }, [inAddress, comingTo])

  const follow = (field: HTMLInputElement) => {
    stopWaiting()
    if (showsResults) timer.current = setTimeout(() => show(field.value, 'replace'), DEBOUNCE_MS)
  }

  const show = (query: string, how: 'push' | 'replace') => {
    stopWaiting()
    const trimmed = query.trim()
    if (showsResults && trimmed === last.current.trim()) return
    if (showsResults) last.current = trimmed
    const target: Href = trimmed === '' ? at : `${at}?q=${encodeURIComponent(trimmed)}`
    void router[how](target, undefined, { scroll: !showsResults })
  }

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    show(input.current?.value ?? '', 'push')
  }

  return (
    <search>
      <form action={at} method="get" className={`${css.form} ${css[size]}`} onSubmit={submit}>
        <label htmlFor="search-field" className="visually-hidden">
          {label}
        </label>
        <input
          ref={input}
          id="search-field"
          className={css.field}
          type="search"
          name="q"
          defaultValue={searched}
          maxLength={QUERY_LIMIT}
          placeholder={placeholder}
          autoComplete="off"
          enterKeyHint="search"
          onKeyDown={onKeyDown}
          onChange={({ target }) => follow(target)}
        />
        <button type="submit" className={css.button}>
          {size === 'large' ? 'Search' : <Glass />}
        </button>
      </form>
    </search>
  )
}

/** An icon where a word would leave no room for the field. */
function Glass() {
  return (
    <>
      <span className="visually-hidden">Search</span>
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <circle cx="7.5" cy="7.5" r="5" />
        <path d="M11.5 11.5 16 16" strokeLinecap="round" />
      </svg>
    </>
  )
}
