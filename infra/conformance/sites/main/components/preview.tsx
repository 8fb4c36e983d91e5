import type { GetServerSidePropsContext, GetStaticPropsContext } from 'next'
import Link from 'next/link'
import { useRouter } from 'next/router'
import { State } from './state'

export interface Proof {
  preview: boolean
  previewData: object | string | false | null
  draftMode: boolean
  /** Another one for each run of the data function. */
  print: string
}

/** What a data function knows of the mode. */
export function proofOf({ preview, previewData, draftMode }: GetStaticPropsContext | GetServerSidePropsContext): Proof {
  const print = Math.random().toString(36).slice(2)
  return { preview: preview ?? false, previewData: previewData ?? null, draftMode: draftMode ?? false, print }
}

/** Shows it, and what the router says. */
export function Preview(props: object) {
  const { isPreview } = useRouter()
  return <State props={{ ...props, isPreview }} />
}

/** The cover of a book: a page without data that leads to one with data. */
export function Cover({ to }: { to: string }) {
  return (
    <main>
      <Link id="turn" href={to}>
        Turn the page
      </Link>
      <State />
    </main>
  )
}
