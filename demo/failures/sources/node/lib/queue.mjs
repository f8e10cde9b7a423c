/** Runs jobs one after the other and keeps their results. */
export class Queue {
  #tail = Promise.resolve();
  results = [];

  add(job) {
    this.#tail = this.#tail.then(job).then((result) => this.results.push(result));
    return this.#tail;
  }
}
