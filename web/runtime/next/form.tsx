// `next/form`: a form for searches, whose submission is a client transition to `action` with the fields as its query (X1).

import { type ComponentProps, type SubmitEvent, useContext, useEffect } from 'react'
import { localHref } from '../react/locale-paths.ts'
import { addressIn, useRuntime } from '../react/router-context.ts'
import { RouterContext } from './contexts.ts'

/** The props of `Form`: those of `<form>`, and how to navigate. */
export interface FormProps extends Omit<ComponentProps<'form'>, 'action' | 'method' | 'encType' | 'target'> {
  /** The path of a page, or a server action. */
  action: NonNullable<ComponentProps<'form'>['action']>
  replace?: boolean
  /** false keeps the scroll position. */
  scroll?: boolean
  prefetch?: false | null
}

export default function Form({ action, replace, scroll, prefetch, onSubmit, ...props }: FormProps) {
  const router = useContext(RouterContext)
  const runtime = useRuntime()
  const path = typeof action === 'string' ? action : undefined
  useEffect(() => {
    if (path !== undefined && prefetch !== false) void router?.prefetch(path)
  }, [router, path, prefetch])
  if (path === undefined) return <form {...props} action={action} onSubmit={onSubmit} />
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    onSubmit?.(event)
    if (event.defaultPrevented || !router) return
    const submitter = event.nativeEvent.submitter
    if (submitter && LEFT_TO_BROWSER.some((name) => submitter.hasAttribute(name))) return
    const url = submittedUrl(event.currentTarget, submitter, submitter?.getAttribute('formaction') ?? path)
    event.preventDefault()
    void router[replace ? 'replace' : 'push'](url, undefined, { ...(scroll !== undefined && { scroll }) })
  }
  return (
    <form
      {...props}
      action={addressIn(runtime, process.env.PORTICO_I18N ? localHref(runtime, path) : path)}
      onSubmit={submit}
    />
  )
}

const LEFT_TO_BROWSER = ['formmethod', 'formenctype', 'formtarget']

function submittedUrl(form: HTMLFormElement, submitter: HTMLElement | null, path: string): string {
  const query = new URLSearchParams()
  // Files have no place in a URL: browsers send their names.
  for (const [name, value] of new FormData(form, submitter))
    query.append(name, typeof value === 'string' ? value : value.name)
  const [target = ''] = path.split(/[?#]/, 1)
  return `${target}?${query}`
}
