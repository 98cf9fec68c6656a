/* The outcomes of a call in the order in which they are told, how they are coloured, and what the attempt did. */
const OUTCOMES = {
    failed: ['bad', 'failed, and all that it had written was rolled back'],
    failed_final: ['bad', 'failed for good, and its failure was recorded'],
    executed: ['good', 'claimed the new key and ran the method'],
    retried: ['good', 'ran the method again, because the one before had failed'],
    recovered: ['good', 'took over an expired lease and ran the method'],
    replayed: ['same', 'replayed the stored response, because the key was known'],
    failure_replayed: ['same', 'replayed the recorded failure, because the key was known'],
    in_progress: ['wait', 'got a refusal, because another one held the key for too long'],
    key_reused: ['bad', 'got a refusal, because the key belongs to another payload'],
    response_expired: ['bad', 'found a response that is no longer stored'],
    unreadable: ['bad', 'found a response that cannot be read'],
    abandoned: ['bad', 'left the key as being processed'],
    lease_lost: ['bad', 'lost the lease'],
    invalid_key: ['bad', 'had no key or a malformed one'],
};

const REPEATED = 'lost its connection before COMMIT, was rolled back, and in another try ';

const NO_ANSWER = 'The application does not answer.';

const PAYMENT = {accountId: 'alice', amountCents: 1250, attempts: 1, fault: 'NONE'};

/* What each step of the tour asks for that is not as in PAYMENT. Steps without a key repeat the last one. */
const STEPS = {
    pay: () => ({key: newKey()}),
    retry: () => ({}),
    twenty: () => ({key: newKey(), attempts: 20}),
    other: () => ({amountCents: 1350}),
    crash: () => ({key: newKey(), fault: 'KILL'}),
};

const STATEMENTS = 300;

const $ = id => document.getElementById(id);

const money = new Intl.NumberFormat('en', {style: 'currency', currency: 'EUR'});
const clock = new Intl.DateTimeFormat('en', {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
const day = new Intl.DateTimeFormat('en', {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});

const form = $('form');

let tourKey = newKey();
/* What this page has asked for last: its key, where to tell what happened, and the balance before. */
let asked = null;
/* The run that is shown: attempts by their number. */
let run = null;
let drawing = false;
/* The SQL of the run: how many lines are shown, the groups by transaction, and how attempts' transactions ended. */
let statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};

function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) {
        made.textContent = text;
    }
    for (const [attribute, value] of Object.entries(attributes)) {
        made.setAttribute(attribute, value);
    }
    return made;
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function cents(amount) {
    return money.format(amount / 100);
}

function milliseconds(value) {
    return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function put(id, text) {
    const target = $(id);
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

function mark(id, text, kind) {
    put(id, text);
    $(id).dataset.kind = kind;
}

/* Asking */

function newKey() {
    const random = crypto.getRandomValues(new Uint32Array(2));
    return 'order-' + Array.from(random, number => number.toString(36)).join('').slice(0, 10);
}

async function balance(accountId) {
    const response = await fetch(`accounts/${accountId}`);
    if (!response.ok) {
        throw new Error(response.statusText);
    }
    return (await response.json()).balanceCents;
}

async function pay(place, request) {
    mark(place, request.attempts === 1 ? 'Asking once …' : `Asking ${request.attempts} times at once …`, '');
    try {
        asked = {key: request.key, place, before: await balance(request.accountId)};
        const response = await fetch('demo/runs', {
            method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify(request),
        });
        if (!response.ok) {
            const problem = await response.json();
            mark(place, `The application refused: ${problem.detail ?? problem.title ?? response.status}`, 'bad');
        }
    } catch {
        mark(place, NO_ANSWER, 'bad');
    }
}

$('tour').addEventListener('click', event => {
    const step = event.target.value;
    if (step) {
        const request = {...PAYMENT, key: tourKey, ...STEPS[step]()};
        tourKey = request.key;
        pay(`told-${step}`, request);
    }
});

form.addEventListener('submit', event => {
    event.preventDefault();
    const data = new FormData(form);
    pay('summary', {
        key: data.get('key'),
        accountId: data.get('account'),
        amountCents: Math.round(Number(data.get('amount')) * 100),
        attempts: Number(event.submitter?.value ?? 1),
        fault: data.get('fault'),
    });
});

function use(key) {
    $('key').value = key;
    $('form').closest('details').open = true;
    mark('summary', `The key is now ${key}.`, '');
}

$('new-key').addEventListener('click', () => use(newKey()));

/* Attempts */

function kind(outcome) {
    return (OUTCOMES[outcome] ?? ['', ''])[0];
}

function name(attempt) {
    return attempt.outcome ?? attempt.title ?? (attempt.status ? 'refused' : 'no answer');
}

function bar(attempt, end) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('class', 'bar');
    svg.setAttribute('viewBox', '0 0 100 8');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    const rectangle = (x, width, type) => {
        const drawn = document.createElementNS(space, 'rect');
        for (const [attribute, value] of Object.entries({x, y: 0, width, height: 8, class: type})) {
            drawn.setAttribute(attribute, value);
        }
        svg.append(drawn);
    };
    rectangle(0, 100, 'track');
    if (attempt.outcome !== undefined) {
        svg.dataset.kind = kind(attempt.outcome);
        const sent = attempt.sentMilliseconds / end * 100;
        const answered = sent + attempt.tookMilliseconds / end * 100;
        const ran = attempt.beganMilliseconds !== null && attempt.endedMilliseconds !== null;
        const began = ran ? attempt.beganMilliseconds / end * 100 : answered - 1;
        const ended = ran ? attempt.endedMilliseconds / end * 100 : answered;
        rectangle(sent, Math.max(answered - sent, 1), 'wait');
        rectangle(began, Math.max(ended - began, 1), 'span');
    }
    return svg;
}

function drawAttempts() {
    $('no-attempts').hidden = run !== null;
    $('legend').hidden = run === null;
    if (run === null) {
        return;
    }
    const attempts = [...run.attempts.values()];
    const answered = attempts.filter(attempt => attempt.outcome !== undefined);
    const end = Math.max(1, ...answered.map(attempt => attempt.sentMilliseconds + attempt.tookMilliseconds));
    $('attempts').tBodies[0].replaceChildren(...attempts.map(attempt => {
        const row = element('tr', null, {'data-attempt': attempt.number});
        row.append(element('td', attempt.number, {class: 'number'}));
        const outcome = element('td');
        if (attempt.outcome === undefined) {
            outcome.append(element('span', run.lost ? 'unknown' : 'waiting', {class: 'badge'}));
        } else {
            outcome.append(element('span', name(attempt), {
                class: 'badge', 'data-kind': kind(attempt.outcome), 'data-outcome': attempt.outcome ?? ''}));
            if (attempt.repeats > 0) {
                outcome.append(element('span', `connection lost, method run again`, {class: 'hint'}));
            }
        }
        row.append(outcome);
        row.append(element('td', attempt.status ?? ''));
        row.append(element('td', (attempt.waitedFor ?? []).map(number => `#${number}`).join(', '), {class: 'waited'}));
        const when = element('td', null, {class: 'when'});
        when.append(bar(attempt, end));
        row.append(when);
        row.append(element('td', attempt.outcome === undefined ? '' : milliseconds(attempt.tookMilliseconds), {class: 'number'}));
        return row;
    }));
}

function drawSoon() {
    if (!drawing) {
        drawing = true;
        requestAnimationFrame(() => {
            drawing = false;
            drawAttempts();
        });
    }
}

/* The database */

function time(text) {
    return clock.format(new Date(text));
}

function stored(row) {
    if (row === null) {
        return 'none';
    }
    if (row.status === 'failed_retryable') {
        return `none: the next attempt runs the method. The last one failed: ${row.failure}`;
    }
    return row.status === 'succeeded' ? JSON.stringify(row.response, null, 2) : row.failure ?? 'none';
}

function drawRow(key, row) {
    put('row-key', key || '–');
    mark('row-status', row?.status ?? 'none', row === null ? '' : row.status === 'succeeded' ? 'good' : 'bad');
    put('row-attempts', row === null ? '–' : String(row.attempts));
    put('row-created', row === null ? '–' : time(row.createdAt));
    put('row-expires', row === null ? '–' : day.format(new Date(row.expiresAt)));
    put('response', stored(row));
}

function drawEffects(payments, row) {
    mark('effects-count', plural(payments.length, 'payment'), payments.length > 1 ? 'bad' : payments.length === 1 ? 'good' : '');
    $('effects').replaceChildren(...payments.map(payment =>
        element('li', `${cents(payment.amountCents)} from ${payment.accountId}, ${payment.status.toLowerCase()}`)));
    if (payments.length === 0 && row?.status.startsWith('failed')) {
        $('effects').append(element('li', 'Nothing stayed: whatever the attempt had written was rolled back.'));
    }
}

function drawOutbox(messages, notifications, waiting) {
    const sent = messages.filter(message => message.status === 'sent').length;
    mark('outbox-count',
        messages.length === 0 ? '0 messages' : `${sent} of ${messages.length} sent`,
        messages.length === 0 ? '' : sent === messages.length ? 'good' : 'wait');
    $('messages').replaceChildren(...messages.map(message =>
        element('li', `${message.type}: ${message.status}${message.milliseconds === null ? '' : ` after ${message.milliseconds} ms`}`)));
    put('notified', plural(notifications, 'notification'));
    put('waiting', String(waiting));
}

function drawProjections(accountId, account) {
    put('projections-account', accountId);
    if (account !== null) {
        const shown = Math.min(account.projectedVersion, account.countedEvents);
        const behind = account.version - shown;
        mark('projected', behind > 0 ? `${behind} behind` : 'up to date', behind > 0 ? 'wait' : 'good');
        $('progress').max = account.version;
        $('progress').value = shown;
        put('events', `version ${account.version}, ${cents(account.balanceCents)}`);
        put('projected-balance', `version ${account.projectedVersion}, ${cents(account.projectedCents)}`);
        put('counted', String(account.countedEvents));
    }
}

function drawRecent(recent) {
    const focused = document.activeElement?.dataset?.key;
    $('recent').tBodies[0].replaceChildren(...recent.map(request => {
        const row = element('tr');
        const key = element('td');
        if (request.scope === 'payments') {
            const button = element('button', request.key, {
                type: 'button', class: 'link', 'data-key': request.key, 'aria-label': `Use the key ${request.key}`});
            button.addEventListener('click', () => use(request.key));
            key.append(button);
        } else {
            key.textContent = request.key;
        }
        row.append(key, element('td', request.scope), element('td', request.status),
            element('td', request.attempts, {class: 'number'}), element('td', time(request.updatedAt)));
        return row;
    }));
    if (focused) {
        $('recent').querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
}

function drawState(state) {
    drawRow(state.key, state.row);
    drawEffects(state.payments, state.row);
    drawOutbox(state.messages, state.notifications, state.waiting);
    drawProjections(state.accountId, state.account);
    drawRecent(state.recent);
}

/* SQL */

function clearStatements() {
    [...$('sql').tBodies].forEach(group => group.remove());
    statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};
    put('transactions', '');
}

function by(line) {
    return line.attempt === null ? 'background' : `#${line.attempt}`;
}

function statementRow(line, text, failure) {
    const row = element('tr', null, line.succeeded ? {} : {class: 'failed'});
    const statement = element('td');
    statement.append(element('code', text));
    if (failure) {
        statement.append(' ', element('span', failure, {class: 'badge', 'data-kind': 'bad'}));
    }
    row.append(element('td', by(line)), statement);
    return row;
}

/* The driver sends BEGIN with the first statement, so it took no time of its own. */
function group(line) {
    const known = statements.groups.get(line.transaction);
    if (known) {
        return known;
    }
    const made = element('tbody');
    if (line.transaction !== null) {
        made.className = 'transaction';
        statements.groups.set(line.transaction, made);
        const begin = statementRow({...line, succeeded: true}, 'BEGIN');
        begin.append(element('td'));
        made.append(begin);
    }
    $('sql').append(made);
    return made;
}

function addEnd(line, target) {
    const committed = line.text === 'COMMIT' && line.succeeded;
    target.dataset.end = committed ? 'committed' : 'rolled-back';
    if (line.attempt !== null) {
        statements.committed += committed;
        statements.rolledBack += !committed;
        put('transactions', `Transactions of the attempts: ${statements.committed} committed, ${statements.rolledBack} rolled back.`);
    }
}

function addStatement(line) {
    const ends = line.text === 'COMMIT' || line.text === 'ROLLBACK';
    /* A transaction that is shown is shown to its end. */
    if (statements.count >= STATEMENTS && !statements.groups.has(line.transaction)) {
        return;
    }
    statements.count++;
    const target = group(line);
    const failure = line.succeeded ? null : ends ? 'no answer: the server has rolled back' : 'failed';
    const row = statementRow(line, line.text, failure);
    row.append(element('td', milliseconds(line.milliseconds), {class: 'number'}));
    target.append(row);
    if (ends) {
        addEnd(line, target);
    }
}

/* The stream */

/* What is sent while nobody listens is not sent again. */
function lose() {
    if (document.body.dataset.run === 'running') {
        run.lost = true;
        document.body.dataset.run = 'lost';
        mark(run.place, 'The connection was lost before all attempts were answered. Ask again with the same key.', 'bad');
        drawSoon();
    }
}

function meaning(attempt) {
    const end = OUTCOMES[attempt.outcome]?.[1] ?? (attempt.status ? 'got a refusal' : 'got no answer');
    const text = attempt.repeats > 0 ? REPEATED + end : end;
    return attempt.title ? `${text} (${attempt.status} ${attempt.title})` : text;
}

/* One sentence: what happened to the attempts and why, and what became of the balance. */
function sentence(attempts, before, after) {
    const counts = new Map();
    attempts.map(meaning).forEach(text => counts.set(text, (counts.get(text) ?? 0) + 1));
    const happened = [...counts].map(([text, count]) =>
        `${attempts.length === 1 ? 'The attempt' : plural(count, 'attempt')} ${text}`).join('; ');
    const ids = [...new Set(attempts.flatMap(attempt => attempt.paymentId?.slice(0, 8) ?? []))];
    const again = attempts.every(attempt => attempt.replayed) ? 'again ' : '';
    const paid = ids.length === 0 ? 'no payment' : `${again}payment ${ids.join(', ')}`;
    const change = before === after ? 'still ' : before === undefined ? '' : `from ${cents(before)} to `;
    return `${happened}: ${paid}, balance ${change}${cents(after)}.`;
}

async function summarize(ended) {
    const order = Object.keys(OUTCOMES);
    const attempts = [...ended.attempts.values()]
        .filter(attempt => attempt.outcome !== undefined)
        .sort((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome));
    const text = sentence(attempts, ended.before, await balance(ended.request.accountId));
    if (run === ended && !run.lost) {
        mark(run.place, text, kind(attempts[0].outcome));
        document.body.dataset.run = 'done';
    }
}

const handlers = {
    run(started) {
        const attempts = new Map();
        for (let number = 1; number <= started.request.attempts; number++) {
            attempts.set(number, {number});
        }
        if (document.body.dataset.run === 'running') {
            mark(run.place, 'Not shown any more, because another run began.', '');
        }
        const {place, before} = asked?.key === started.request.key ? asked : {place: 'summary'};
        run = {runId: started.runId, request: started.request, attempts, place, before};
        clearStatements();
        document.body.dataset.run = 'running';
        drawSoon();
    },
    attempt(answered) {
        if (run?.runId === answered.runId) {
            run.attempts.set(answered.number, answered);
            drawSoon();
        }
    },
    done(ended) {
        if (run?.runId === ended.runId && !run.lost) {
            summarize(run).catch(() => mark(run.place, NO_ANSWER, 'bad'));
        }
    },
    sql(line) {
        if (run !== null && (line.runId === null || line.runId === run.runId)) {
            addStatement(line);
        }
    },
    state: drawState,
};

function connect() {
    const stream = new EventSource('demo/events');
    const connection = (state, text) => {
        $('connection').dataset.state = state;
        put('connection', text);
    };
    stream.addEventListener('open', () => connection('live', 'Live'));
    stream.addEventListener('error', () => {
        connection('lost', 'Connection lost, trying again …');
        lose();
        if (stream.readyState === EventSource.CLOSED) {
            setTimeout(connect, 2000);
        }
    });
    for (const [event, handler] of Object.entries(handlers)) {
        stream.addEventListener(event, message => handler(JSON.parse(message.data)));
    }
}

$('key').value = newKey();
connect();
