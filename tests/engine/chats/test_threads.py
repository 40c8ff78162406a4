"""Many commands at once on one chat: none waits forever, and the results are consistent."""

from concurrent.futures import ThreadPoolExecutor

from engine.commands.catalog import Ask, SelectLeaf, Upload, UploadFiles
from engine.errors import Refused
from tests.support.talk import Talk, call


def test_commands_from_many_threads_neither_block_each_other_nor_lose_a_file(talk: Talk) -> None:
    talk.replies(*[{"calls": [call("add", files={}), call("put", back={})]}, {"text": "."}] * 40)
    question = talk.ask("first")

    def upload(number: int) -> None:
        talk.app.send(UploadFiles(talk.chat_id, [Upload(f"{number}.txt", b"%d" % number)]))

    def ask(number: int) -> str:
        try:
            turn_id: str = talk.app.send(Ask(talk.chat_id, f"question {number}")).turn_id
        except Refused as refused:  # by one that is being answered
            return "" if refused.code == "turn_runs" else refused.message
        return turn_id

    def move(number: int) -> None:
        leaves = list(talk.app.chat(talk.chat_id).messages)
        talk.app.send(SelectLeaf(talk.chat_id, leaves[number % len(leaves)]))

    with ThreadPoolExecutor(6) as threads:
        doing = [threads.submit(work, n) for n in range(6) for work in (upload, ask, move)]
        turns = [done for future in doing if (done := future.result(timeout=600))]
    assert {talk.ended(turn_id).reason for turn_id in turns} == {"stop"}
    assert talk.app.chat(talk.chat_id).turns[question.turn_id].reason == "stop"
    assert talk.files() == talk.on_disk()
    manifests = talk.app.chat(talk.chat_id).manifests.values()
    added = {path for m in manifests if m["source"] == "user_upload" for path in m["changes"]["added"]}
    assert added == {f"{number}.txt" for number in range(6)}
    assert not [m for m in manifests if m["source"] == "edit"], "nobody edited anything in the folder"
    assert talk.app.log.verify().ok
