// Finds files: of the own build, of earlier builds, of public/, and the store in which gateways publish them. A file is
// found by a key of an index, never by a path of a request. send/ sends what is found.

export { type BuildFiles, createBuildFiles, loadBrowserManifests } from './build-files.ts'
export { findImageSizes, publishImageSizes } from './image-sizes.ts'
export { createKeptPublicFinder, type FindKeptPublic, keptPublicFiles, removeClosed } from './kept-public.ts'
export {
  createPublisher,
  type FileStore,
  hashedFiles,
  isFileName,
  type OldBuilds,
  reportLeftOut,
} from './old-builds.ts'
export { openFileStore } from './open-file-store.ts'
export { createPublishedPublic } from './published-public.ts'
