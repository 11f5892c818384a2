// Reads the first chunk of an answer before the answer begins, so that a failure can still be answered with an error.

/** Yields a chunk that was read before, then the rest. */
export async function* withFirst<Chunk>(
  first: IteratorResult<Chunk, unknown>,
  rest: AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
