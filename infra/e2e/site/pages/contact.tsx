// pages/contact.tsx
import type { GetServerSideProps, InvalidInput } from 'portico'
import { useActionState } from 'react'
import { type ContactAnswer, sendLetter } from '../actions/contact.ts'

// With a data function each visit gets a form with a key of its own, so that equal letters of a day are told apart.
export const getServerSideProps = (async () => ({ props: {} })) satisfies GetServerSideProps

export default function Contact() {
  const [state, send, pending] = useActionState<ContactAnswer | InvalidInput | undefined, FormData>(
    sendLetter,
    undefined,
  )
  return (
    <>
      <title>Contact</title>
      <h1>Contact</h1>
      <form action={send}>
        <label htmlFor="letter">Your letter</label>
        <textarea id="letter" name="letter" maxLength={4000} required />
        <button type="submit" disabled={pending}>
          Send
        </button>
      </form>
      <p role="status">{state && 'text' in state ? state.text : null}</p>
    </>
  )
}
