# Images for both architectures, pushed to a registry:
#
#   REGISTRY=registry.example.org/ TAG=1.0.0 docker buildx bake -f docker/docker-bake.hcl --push
#
# It needs a builder of the driver docker-container, and QEMU or a node of each architecture: packages with native code
# are installed for the architecture of the image. This file is parsed in tests (bake --print); it was never run.
# For infra/swarm, which takes REGISTRY and TAG as they are here.

variable "REGISTRY" { default = "" }
variable "TAG" { default = "latest" }
# With a digest: node:26-bookworm-slim@sha256:…
variable "NODE_IMAGE" { default = "node:26-bookworm-slim" }
variable "APP_DIR" { default = "web/app" }
# Labels: `portico containers --labels` prints the values.
variable "LABEL_SOURCE" { default = "" }
variable "LABEL_REVISION" { default = "" }
variable "LABEL_CREATED" { default = "" }
variable "LABEL_VERSION" { default = "" }
variable "LABEL_LICENSES" { default = "" }

group "default" {
  targets = ["service"]
}

target "service" {
  name       = service
  matrix     = { service = ["gateway", "renderer", "images", "actions"] }
  target     = service
  context    = "."
  dockerfile = "docker/Dockerfile"
  contexts   = { app = APP_DIR }
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = ["${REGISTRY}portico-${service}:${TAG}"]
  args = {
    NODE_IMAGE     = NODE_IMAGE
    LABEL_SOURCE   = LABEL_SOURCE
    LABEL_REVISION = LABEL_REVISION
    LABEL_CREATED  = LABEL_CREATED
    LABEL_VERSION  = LABEL_VERSION
    LABEL_LICENSES = LABEL_LICENSES
  }
}
