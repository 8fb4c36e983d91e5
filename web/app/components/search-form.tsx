// The search field. Without JavaScript a GET form; with it results follow the typing, each in the address.

import { type Href, useRouter, useSearchParams } from 'portico'
import { type SubmitEvent, useEffect, useRef } from 'react'
import { QUERY_LIMIT } from '../lib/search.ts'
import css from './search-form.module.css'

/** Typing pauses this long before results are asked for. */
const DEBOUNCE_MS = 250

/** `asked` is the query that the server answered. */
export function SearchForm({ asked }: { asked: string }) {
  const router = useRouter()
  const inAddress = useSearchParams().get('q') ?? ''
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => () => clearTimeout(timer.current), [])

  // Back, forward and links change the address without the field; the visitor's own typing is left alone.
  useEffect(() => {
    const field = input.current
    if (field && field !== document.activeElement) field.value = inAddress
  }, [inAddress])

  const show = (query: string, how: 'push' | 'replace') => {
    clearTimeout(timer.current)
    const trimmed = query.trim()
    if (trimmed === inAddress.trim()) return
    const target: Href = trimmed === '' ? '/search' : `/search?q=${encodeURIComponent(trimmed)}`
    void router[how](target, undefined, { scroll: false })
  }

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    show(input.current?.value ?? '', 'push')
  }

  return (
    <search>
      <form action="/search" method="get" className={css.form} onSubmit={submit}>
        <label htmlFor="search-field" className="visually-hidden">
          Search the atlas
        </label>
        <input
          ref={input}
          id="search-field"
          className={css.field}
          type="search"
          name="q"
          defaultValue={asked}
          maxLength={QUERY_LIMIT}
          placeholder="Fog, tea, Skarnvik"
          autoComplete="off"
          enterKeyHint="search"
          onChange={({ target }) => {
            clearTimeout(timer.current)
            timer.current = setTimeout(() => show(target.value, 'replace'), DEBOUNCE_MS)
          }}
        />
        <button type="submit" className={css.button}>
          Search
        </button>
      </form>
    </search>
  )
}
